"""Serves the admin of Django on a free port and ends when its standard input does."""
import os
import sys
import threading
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from django.conf import settings

settings.configure(
    SECRET_KEY="the same at every start", DEBUG=False, ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.AutoField", STATIC_URL="/static/",
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "db.sqlite3"}},
    INSTALLED_APPS=["django.contrib." + a for a in ("admin", "auth", "contenttypes", "sessions", "messages", "staticfiles")],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
    ],
    TEMPLATES=[{
        "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
        "OPTIONS": {"context_processors": [
            "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
            "django.contrib.messages.context_processors.messages",
        ]},
    }],
)
django.setup()

from django.contrib import admin  # noqa: E402, settings come first
from django.contrib.auth.models import Group, User  # noqa: E402
from django.contrib.staticfiles.handlers import StaticFilesHandler  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import path  # noqa: E402

urlpatterns = [path("admin/", admin.site.urls)]


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Handler(WSGIRequestHandler):
    def log_message(self, *args):
        pass


def seed(user, password):
    call_command("migrate", verbosity=0)
    User.objects.create_superuser(user, "ada@workshop.example", password)
    for name, first, last in (("grace", "Grace", "Hopper"), ("alan", "Alan", "Turing")):
        User.objects.create_user(name, name + "@workshop.example", password, first_name=first, last_name=last)
    for name in ("Editors", "Reviewers"):
        Group.objects.create(name=name)


def end_with_input():
    sys.stdin.read()
    os._exit(0)


seed(*sys.argv[1:3])
server = make_server("127.0.0.1", 0, StaticFilesHandler(get_wsgi_application()), Server, Handler)
threading.Thread(target=end_with_input, daemon=True).start()
print("serving http://127.0.0.1:%d" % server.server_port, flush=True)
server.serve_forever()
